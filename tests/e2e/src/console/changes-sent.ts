import type { Page, Request } from "playwright-core";

/** Records a page's changes at the gateway in order, by operation. */
export class ChangesSent {
  readonly asked: string[] = [];
  /** Changes that the gateway has answered with a result. */
  readonly made: string[] = [];

  constructor(page: Page) {
    page.on("request", (request) => this.asked.push(...changeIn(request)));
    page.on("requestfinished", (request) => void this.#note(request));
  }

  async #note(request: Request): Promise<void> {
    const names = changeIn(request);
    if (names.length === 0) return;
    const reply = (await (await request.response())?.json().catch(() => ({}))) as { readonly result?: unknown };
    if (reply.result !== undefined) this.made.push(...names);
  }
}

/** Name of the operation, if a request is a change. */
function changeIn(request: Request): readonly string[] {
  return changeOf((request.postDataJSON() ?? {}) as Called);
}

interface Called {
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** Name of the operation, if a call's body is that of a change. */
export function changeOf({ method, params }: Called): readonly string[] {
  const { name = "" } = params ?? {};
  return method === "tools/call" && !/^svc_(?:list|get|query|count|check|export)_/.test(name) ? [name] : [];
}
