import process from "node:process";
import type { Demo } from "./demo.ts";

/** Contents of the greeting that a local start prints; `home` is the data folder, `demo` is absent without a demo project. */
export interface Greeting {
  readonly serviceName: string;
  readonly url: string;
  readonly home: string;
  /** Plaintext, on the first start only. */
  readonly adminKey: string | undefined;
  readonly demo: Demo | undefined;
}

/** Text shown when the product is ready; the only output with keys. */
export function formatGreeting({ serviceName, url, home, adminKey, demo }: Greeting): string {
  const lines = [
    "",
    `${serviceName} is ready at ${url}`,
    `  console ${url}/console`,
    `  data    ${home}`,
    "  docs    README.md and the folder docs/",
  ];
  if (adminKey !== undefined) lines.push("", "Admin key (shown once; keep it):", `  ${adminKey}`);
  if (demo !== undefined) lines.push(...formatDemo(url, demo));
  lines.push("", "Ctrl-C stops everything.", "");
  return lines.join("\n");
}

function formatDemo(url: string, { projectUuid, token, slugs }: Demo): string[] {
  const [slug = ""] = slugs;
  return [
    "",
    `Demo project ${projectUuid} with the endpoint${slugs.length === 1 ? "" : "s"} ${slugs.join(", ")}. Token (shown once):`,
    `  ${token}`,
    "",
    "Try it:",
    `  curl -s ${url}/api/${projectUuid}/${slug} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"message": "Hello!"}'`,
  ];
}

/** Host for a browser on this machine, for a listening address. */
export function displayHost(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === "127.0.0.1" ? "localhost" : host;
}

/** Prints a slow step. */
export function progress(message: string): void {
  process.stdout.write(`· ${message}\n`);
}
