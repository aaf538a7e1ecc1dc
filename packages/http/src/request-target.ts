import type { IncomingMessage } from "node:http";

/** A target in absolute form: scheme, host with port, then path and query. A target with userinfo or a fragment does not match. */
const absoluteForm = /^https?:\/\/((?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?)((?:[/?][^#]*)?)$/i;
/** The beginning of any URL (RFC 3986, section 3.1). */
const schemeForm = /^[a-z][a-z\d+.-]*:/i;

/**
 * Converts a request target from absolute to origin form: `url` becomes path and query, and the target's host replaces the Host
 * header (RFC 9112, section 3.2.2), so that later code sees one form and one host.
 * @returns failure code of a target that is not an http or https URL with a host
 */
export function toOriginForm(req: IncomingMessage): "ILL_TARGET" | undefined {
  const { url = "/" } = req;
  if (url.startsWith("/") || !schemeForm.test(url)) return undefined;
  const [, host, rest = ""] = absoluteForm.exec(url) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}`)) return "ILL_TARGET";
  req.url = rest.startsWith("/") ? rest : `/${rest}`;
  req.headers.host = host;
  return undefined;
}
