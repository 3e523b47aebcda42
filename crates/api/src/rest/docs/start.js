"use strict";

// The key that is typed in stays in the memory of this page: it is not stored, and nothing is sent but to this service.
window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: "/.well-known/openapi.json",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: "none",
});
