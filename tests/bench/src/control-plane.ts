/** A client of the product's administrative surface, `POST /control/mcp`. */
export interface ControlPlane {
  /**
   * Calls one operation and returns its result.
   * @throws Error with the product's message when it is refused.
   */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

interface Reply {
  readonly result?: { readonly structuredContent?: Readonly<Record<string, unknown>>; readonly isError?: boolean };
  readonly error?: unknown;
}

/** Makes a client for the product at `origin`. */
export function createControlPlane(origin: string, adminKey: string): ControlPlane {
  let id = 0;
  return {
    call: async (tool, args) => {
      const envelope = { jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name: tool, arguments: args } };
      const res = await fetch(`${origin}/control/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${adminKey}` },
        body: JSON.stringify(envelope),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await res.text();
      const { result } = (res.ok ? JSON.parse(text) : {}) as Reply;
      if (!result?.structuredContent || result.isError) throw new Error(`${tool}: ${res.status} ${text.slice(0, 500)}`);
      return result.structuredContent;
    },
  };
}

/** A text field of a result; also when it is one level down, as in `{project: {uuid}}`.  @throws Error when it is absent. */
export function textOf(result: Readonly<Record<string, unknown>>, field: string): string {
  const places = [result, ...Object.values(result)];
  for (const place of places) {
    const value = typeof place === "object" && place !== null ? (place as Record<string, unknown>)[field] : undefined;
    if (typeof value === "string") return value;
  }
  throw new Error(`No text field '${field}' in ${Object.keys(result).join(", ")}`);
}
