/** A request that a process has lost, with its body whole. */
export interface LostCall {
  readonly method: string | undefined;
  /** Null where there is none. */
  readonly body: Buffer | null;
  /** Whether the body is compressed, so that its bytes do not show its members. */
  readonly isEncoded: boolean;
}

/** Whether a request may be sent to another process although the lost one may have worked on it. */
export type IsRepeatable = (call: LostCall) => boolean;

/**
 * A call to a model changes nothing but its cost, and the ledger counts what was lost as spent. One in a session is left out: its turn
 * may be stored already. So is one whose body cannot be searched.
 */
export const repeatsModelCalls: IsRepeatable = ({ body, isEncoded }) => {
  return body === null || (!isEncoded && !namesSession(body.toString()));
};

/** Whether a JSON text has the member anywhere, its name written with escapes or without. */
function namesSession(json: string): boolean {
  const plain = json.replaceAll(/\\u00([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
  return json.includes('"session_id"') || plain.includes('"session_id"');
}

/** Methods without effects (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The method alone shows whether a request to a tenant's API may have effects. */
export const repeatsSafeMethods: IsRepeatable = ({ method }) => safeMethods.has(method ?? "");
