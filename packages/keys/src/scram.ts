import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import type { Secret } from "@gatehouse/vault";

const iterations = 4_096;
const hashBytes = 32;

/**
 * Verifier that Postgres stores for a password (SCRAM-SHA-256, RFC 5803): `CREATE ROLE … PASSWORD` accepts it instead of the
 * password, so that a script of roles holds none. The password must be ASCII, which SASLprep does not change.
 */
export function toScramVerifier(password: Secret, salt: Buffer): string {
  const salted = pbkdf2Sync(password.reveal(), salt, iterations, hashBytes, "sha256");
  const mac = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(mac("Client Key")).digest("base64");
  const serverKey = mac("Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}
