const accepted = /^[A-Za-z0-9._-]{1,64}$/;

/** Chooses the id of a request. @param sent its `X-Request-Id` header, if any */
export type RequestIds = (sent: string | string[] | undefined) => string;

/**
 * Returns the client's `X-Request-Id` where it has the accepted form (1 to 64 letters, digits, `.`, `_`, `-`), else a new id:
 * `prefix`, which must be unique to this process, and a count.
 */
export function createRequestIds(prefix: string): RequestIds {
  let count = 0;
  return (sent) => {
    if (typeof sent === "string" && accepted.test(sent)) return sent;
    count += 1;
    return prefix + count.toString(36).padStart(6, "0");
  };
}
