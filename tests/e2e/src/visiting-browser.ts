import { request as send } from "node:http";
import type { IncomingHttpHeaders } from "node:http";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface OperationCall {
  readonly name: string;
  readonly args?: object;
  /** CSRF token of the session's page. */
  readonly csrf: string;
  /** Origin of the calling page; default: the gateway's. */
  readonly origin?: string;
}

/** A browser that follows redirects and keeps cookies by host and path. `places` resolves hosts without DNS. */
export class VisitingBrowser {
  /** Headers as received. */
  readonly setCookies: string[] = [];
  /** Query of the last visited URL. */
  lastQuery = new URLSearchParams();
  readonly #places: Readonly<Record<string, string>>;
  readonly #cookies = new Map<
    string,
    { readonly name: string; readonly value: string; readonly path: string; readonly host: string }
  >();

  constructor(places: Readonly<Record<string, string>>) {
    this.#places = places;
  }

  /** Follows redirects from one URL up to one with the given start. @returns the latter */
  async visit(from: string, until: string): Promise<URL> {
    let url = new URL(from);
    for (let hops = 0; hops < 20; hops += 1) {
      url = await this.step(url);
      if (url.href.startsWith(until)) return url;
    }
    throw new Error("The redirects go round.");
  }

  /** Requests one URL, and returns where it leads. */
  async step(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<URL> {
    const { status, headers: answered, text } = await this.#ask(url, { method: "GET", headers });
    if (answered.location === undefined)
      throw new Error(`${url.pathname} leads nowhere: ${status} ${text.slice(0, 500)}`);
    const next = new URL(answered.location, url);
    this.lastQuery = next.searchParams;
    return next;
  }

  async json(address: string): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const { status, text } = await this.#ask(new URL(address), { method: "GET" });
    return { status, body: JSON.parse(text) as Readonly<Record<string, unknown>> };
  }

  /** Calls an operation like the console. */
  async call(address: string, { name, args = {}, csrf, origin }: OperationCall): Promise<Answer> {
    const url = new URL(address);
    return await this.#ask(url, {
      method: "POST",
      headers: { origin: origin ?? url.origin, "x-gatehouse-csrf": csrf, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
  }

  async signOut(origin: string, csrf: string): Promise<number> {
    const url = new URL("/control/session", origin);
    return (await this.#ask(url, { method: "DELETE", headers: { origin, "x-gatehouse-csrf": csrf } })).status;
  }

  cookie(name: string): string {
    return [...this.#cookies.values()].find((each) => each.name === name)?.value ?? "";
  }

  setCookie(origin: string, name: string, value: string): void {
    const path = name === "gatehouse_session" ? "/control" : "/control/sign-in";
    this.#keep(new URL(origin).hostname, { name, value, path });
  }

  #keep(
    host: string,
    { name, value, path }: { readonly name: string; readonly value: string; readonly path: string },
  ): void {
    const key = `${host} ${path} ${name}`;
    if (value === "") this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value, path, host });
  }

  async #ask(
    url: URL,
    { method, headers = {}, body }: { readonly method: string; readonly headers?: object; readonly body?: string },
  ): Promise<Answer> {
    const cookies = [...this.#cookies.values()].filter(
      ({ host, path }) => host === url.hostname && url.pathname.startsWith(path),
    );
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const target = new URL(url.pathname + url.search, this.#places[url.origin] ?? url.origin);
    const answer = await exchange(target, {
      method,
      headers: { host: url.host, ...(cookie === "" ? {} : { cookie }), ...headers },
      body,
    });
    for (const line of answer.headers["set-cookie"] ?? []) {
      this.setCookies.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const [, path = "/"] = /;\s*path=([^;]+)/i.exec(line) ?? [];
      this.#keep(url.hostname, { name, value, path });
    }
    return answer;
  }
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Not `fetch`, which does not permit setting `Host`. */
async function exchange(url: URL, { method, headers, body }: Sent): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const req = send(url, { method, headers, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    req.on("error", reject);
    req.end(body);
  });
}
