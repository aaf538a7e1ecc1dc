/** A request whose process was lost, with its whole body. */
export interface LostCall {
  readonly method: string | undefined;
  /** Null: no body. */
  readonly body: Buffer | null;
  /** Whether the body is compressed and so cannot be searched. */
  readonly isEncoded: boolean;
}

/** Whether a request may be sent to another process although the lost one may have begun it. */
export type IsRepeatable = (call: LostCall) => boolean;

/**
 * Model calls may be repeated: they change nothing but their cost, and the ledger counts the lost call as spent. Except calls in
 * a session, whose turn may be stored already, and bodies that cannot be searched for one.
 */
export const repeatsModelCalls: IsRepeatable = ({ body, isEncoded }) => {
  return body === null || (!isEncoded && !namesSession(body.toString()));
};

/** Whether a JSON text has the member `session_id` at any depth, also where the name is written with escapes. */
function namesSession(json: string): boolean {
  const plain = json.replaceAll(/\\u00([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
  return json.includes('"session_id"') || plain.includes('"session_id"');
}

/** Methods without effects (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Allows repetition by method alone: a tenant's API may have effects that the router cannot know. */
export const repeatsSafeMethods: IsRepeatable = ({ method }) => safeMethods.has(method ?? "");
