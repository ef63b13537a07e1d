import type { Service } from '../../packages/integration-tests/src/services/service-process.ts'
import { NGINX_PROGRAMS, startNginx } from './nginx.ts'
import { startVarnish, VARNISH_PROGRAMS } from './varnish.ts'

/** A real gateway. What it does is chosen by the first part of a path, which it takes away. */
interface Gateway {
  programs: string[]
  /** `backendPort`: the service behind it. `closedPort`: nothing listens there. */
  start(backendPort: string, closedPort: string): Promise<Service>
}

/** Its settings as they are, but for the time that it waits: one second. */
const varnish: Gateway = {
  programs: VARNISH_PROGRAMS,
  start: (backendPort, closedPort) =>
    startVarnish(`
vcl 4.1;
backend service { .host = "127.0.0.1"; .port = "${backendPort}"; .first_byte_timeout = 1s; }
backend closed { .host = "127.0.0.1"; .port = "${closedPort}"; }
sub vcl_recv {
  set req.backend_hint = service;
  set req.http.x-way = regsub(req.url, "^/([a-z]+)/.*", "\\1");
  set req.url = regsub(req.url, "^/[a-z]+/", "/");
  if (req.http.x-way == "closed") { set req.backend_hint = closed; }
  if (req.http.x-way == "filtered") { return (synth(403, "Filtered")); }
  if (req.http.x-way == "shut") { return (synth(503, "Shut")); }
}
sub vcl_backend_error {
  if (bereq.http.x-way == "bare") {
    synthetic("<h1>We are back soon</h1>");
    return (deliver);
  }
}
`),
}

const nginx: Gateway = {
  programs: NGINX_PROGRAMS,
  start: (backendPort, closedPort) =>
    startNginx({
      http: `
        limit_req_zone $binary_remote_addr zone=slow:1m rate=1r/m;
        upstream two { server 127.0.0.1:${backendPort}; server localhost:${backendPort}; }
      `,
      server: `
        proxy_read_timeout 1s;
        location /plain/ { proxy_pass http://127.0.0.1:${backendPort}/; }
        location /closed/ { proxy_pass http://127.0.0.1:${closedPort}/; }
        location /two/ { proxy_pass http://two/; }
        location /small/ { client_max_body_size 10; proxy_pass http://127.0.0.1:${backendPort}/; }
        location /limited/ { limit_req zone=slow; limit_req_status 429; proxy_pass http://127.0.0.1:${backendPort}/; }
        location /busy/ { limit_req zone=slow; proxy_pass http://127.0.0.1:${backendPort}/; }
        location /later/ {
          proxy_pass http://127.0.0.1:${backendPort}/;
          error_page 502 504 =503 @later;
        }
        location @later {
          add_header retry-after 5 always;
          default_type application/json;
          return 503 '{"message":"We are back soon"}';
        }
        location /sorry/ {
          proxy_pass http://127.0.0.1:${backendPort}/;
          error_page 502 504 =200 @sorry;
        }
        location @sorry { default_type text/html; return 200 '<h1>We are sorry</h1>'; }
        location /moved/ {
          proxy_pass http://127.0.0.1:${backendPort}/;
          error_page 502 504 https://status.example.com/;
        }
        location /own/ {
          proxy_pass http://127.0.0.1:${backendPort}/;
          proxy_intercept_errors on;
          error_page 402 @own;
        }
        location @own { default_type text/html; return 402 '<h1>Ask the administrator</h1>'; }
      `,
    }),
}

export const GATEWAYS = { varnish, nginx }
