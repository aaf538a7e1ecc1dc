import { codeOf } from "@gatehouse/errors";

/** Codes of the platform for a certificate that it refuses (Node's documentation, "X509 certificate error codes"), and of TLS. */
const certificateCodes =
  /^(CERT_.*|CRL_.*|.*_ISSUER_CERT(_LOCALLY)?|.*_SELF_SIGNED_CERT|SELF_SIGNED_CERT_.*|UNABLE_TO_VERIFY_.*|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|ERR_TLS_CERT_.*)$/;
const handshakeCodes = /^ERR_(SSL|TLS)_/;
/** Text of pg, which has no code. */
const unsupportedMessage = "The server does not support SSL connections";

const certificateAdvice =
  "renew the certificate of Postgres (ssl_cert_file), which must name the URL's host, and let sslrootcert name the authority that signed it";
const handshakeAdvice =
  "check sslcert and sslkey, the certificate for a server that asks for one, and the server's own settings of TLS (ssl_…)";

/** Problem of TLS to Postgres, to follow the name of the URL's setting; undefined for other errors of a connection. */
export function databaseTlsProblem(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  const { message } = err;
  if (message === unsupportedMessage)
    return "asks for TLS (sslmode), which the Postgres at its address does not offer: set ssl = on there, or leave out sslmode and sslrootcert where the network is safe";
  const code = codeOf(err) ?? "";
  if (certificateCodes.test(code))
    return `leads to a Postgres whose certificate is refused (${message}): ${certificateAdvice}`;
  if (handshakeCodes.test(code))
    return `leads to a Postgres with which TLS cannot be agreed (${message.trim()}): ${handshakeAdvice}`;
  return undefined;
}
