// The API page in Chromium: it shows every operation, calls the service that served it, and loads nothing from elsewhere.
// `.ci/test-browser` starts it and says in the environment where things are.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { SERVICE, KEY, CHROMIUM, PLAYWRIGHT, SCREENSHOT } = process.env;
const { chromium } = createRequire(`${PLAYWRIGHT}/`)("playwright-core");
const NUMBER = "+12025550142";
const WIDTH = 1100;

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  timeout: 60_000,
  // Chromium asks hosts of its own otherwise.
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});
try {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);

  const complaints = [], foreign = [];
  let requests = 0;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    requests += 1;
    if (url.protocol !== "data:" && url.origin !== SERVICE) foreign.push(request.url());
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`);
    });
  });

  console.log("the page shows every operation of the served document");
  const answer = await page.goto(`${SERVICE}/docs`);
  assert.equal(answer.status(), 200);
  const document = await (await context.request.get(`${SERVICE}/.well-known/openapi.json`)).json();
  const operations = Object.values(document.paths).flatMap(Object.values);
  await page.locator(".opblock").first().waitFor();
  assert.equal(await page.locator(".opblock").count(), operations.length);
  for (const { operationId } of operations) assert.ok(await block(operationId).isVisible(), operationId);
  assert.match(await page.locator(".info .title").innerText(), /caller-memory/);

  console.log("a key can be given");
  await page.locator(".auth-wrapper .authorize").click();
  await page.locator(".auth-container input").fill(KEY);
  await page.locator(".auth-btn-wrapper .authorize").click();
  await page.locator(".auth-btn-wrapper .btn-done").click();

  console.log("a call is written, a recall answered, the profile read");
  await open("callsEnd");
  assert.equal((await execute("callsEnd")).status, 204);
  await open("recallAndEnrich");
  const recall = await execute("recallAndEnrich");
  assert.equal(recall.status, 200);
  assert.equal(recall.sent.known, true);
  assert.match(recall.shown, /"known": true/);
  await page.evaluate(() => window.scrollTo(0, 0));
  const end = await block("recallAndEnrich").locator(".live-responses-table").boundingBox();
  await page.screenshot({ path: SCREENSHOT, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: end.y + end.height } });
  await open("getCaller");
  const caller = await execute("getCaller");
  assert.equal(caller.status, 200);
  assert.equal(caller.sent.total_calls, 1);
  assert.match(caller.url, new RegExp(`/v1/caller/${encodeURIComponent(NUMBER)}$`));

  console.log("a refusal is shown");
  assert.deepEqual(complaints, []);
  await block("getCaller").locator(".parameters input").fill("+10");
  const refused = await execute("getCaller");
  assert.equal(refused.status, 400);
  assert.match(refused.shown, /bad_request/);
  // Chromium itself notes an answer that is not 2xx, and nothing else.
  assert.equal(complaints.length, 1, complaints.join("\n"));
  assert.match(complaints[0], /^Failed to load resource: the server responded with a status of 400 .*\/v1\/caller\/%2B10\)$/);

  console.log("the models can be opened");
  await page.locator(".models h4 .models-control").click();
  const models = page.locator(".models .json-schema-2020-12-accordion");
  await models.first().waitFor();
  for (const model of await models.all()) await model.click();

  assert.deepEqual(await page.evaluate(() => window.violations), [], "the content security policy holds");
  assert.equal(complaints.length, 1, complaints.join("\n"));
  assert.deepEqual(foreign, [], "no request goes elsewhere");
  assert.ok(requests > 8, "requests are seen");
  const stored = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie.length]);
  assert.deepEqual(stored, [0, 0, 0], "the key is not stored");
  await page.evaluate(() => document.body.setAttribute("style", "color: red"));
  await page.waitForFunction(() => window.violations.length === 1);

  console.log(`test-browser: passed; ${requests} requests, none elsewhere, no violation; ${SCREENSHOT}`);

  function block(operationId) {
    return page.locator(`[id$="-${operationId}"].opblock`);
  }

  // Opens an operation and makes its form editable.
  async function open(operationId) {
    await block(operationId).locator(".opblock-summary-control").click();
    await block(operationId).locator(".try-out__btn").click();
  }

  // Sends the form; the status and the body, as they came and as they are shown.
  async function execute(operationId) {
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/v1/")),
      block(operationId).locator(".btn.execute").click(),
    ]);
    const status = response.status();
    const shown = block(operationId).locator(".live-responses-table .response");
    await shown.locator(".response-col_status", { hasText: String(status) }).waitFor();
    const sent = status === 204 ? null : await response.json();
    return { status, sent, url: response.url(), shown: await shown.innerText() };
  }
} finally {
  await browser.close();
}
