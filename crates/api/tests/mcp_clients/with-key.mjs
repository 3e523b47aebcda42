// The conformance tool cannot send a key. This hands its requests on as they are, Host and Origin included, with the key added:
// UPSTREAM (host:port), KEY. Prints the port it listens on.

import http from "node:http";

const [upstream, key] = process.argv.slice(2);
const [host, port] = upstream.split(":");
const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const onward = http.request({ host, port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
