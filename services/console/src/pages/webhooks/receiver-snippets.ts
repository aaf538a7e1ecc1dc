import type { Snippet } from "../../parts/snippets.ts";

// Functions of docs/webhooks.md, which are tested with its vectors.

const node = `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;

createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  if (!isFromGatehouse(rawBody, req.headers, secret)) return res.writeHead(401).end();
  res.writeHead(204).end(); // answer first, work afterwards
  console.log(JSON.parse(rawBody));
}).listen(3000);

function isFromGatehouse(rawBody, headers, secret) {
  const expected = Buffer.from(\`sha256=\${createHmac("sha256", secret).update(rawBody).digest("hex")}\`);
  const given = Buffer.from(headers["x-service-signature"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}`;

const python = `import hashlib
import hmac
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["content-length"]))
        expected = "sha256=" + hmac.new(SECRET.encode(), raw_body, hashlib.sha256).hexdigest()
        is_ours = hmac.compare_digest(expected, self.headers.get("x-service-signature", ""))
        self.send_response(204 if is_ours else 401)
        self.end_headers()


HTTPServer(("", 3000), Receiver).serve_forever()`;

const shell = `# The body, exactly as it came, is in body.json
printf 'sha256=%s\\n' "$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r body.json | cut -d' ' -f1)"
# must print what the header X-Service-Signature holds`;

/** A receiver that verifies signatures, in three languages. */
export const receiverSnippets: readonly Snippet[] = [
  { title: "Node", text: node },
  { title: "Python", text: python },
  { title: "Shell", text: shell },
];
