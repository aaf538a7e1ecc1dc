const accepted = /^[A-Za-z0-9._-]{1,64}$/;

/** The id of a request: the sent one where its form is good, else one that is made. */
export type RequestIds = (sent: string | string[] | undefined) => string;

/**
 * Answers with a request's id: the client's own `X-Request-Id` where it has the accepted form (1 to 64 letters, digits,
 * `.`, `_`, `-`), else a new one. `prefix` must be unique to this process; a count makes each id unique within it.
 */
export function createRequestIds(prefix: string): RequestIds {
  let count = 0;
  return (sent) => {
    if (typeof sent === "string" && accepted.test(sent)) return sent;
    count += 1;
    return prefix + count.toString(36).padStart(6, "0");
  };
}
