import assert from "node:assert/strict";
import { isGatewayError } from "@gatehouse/errors";
import { createTestTrust } from "@gatehouse/trust/testing";
import { createPrincipalSigner, createPrincipalVerifier } from "../src/signature.ts";
import {
  checksumHolds,
  hasAdminKeyPrefix,
  hasTokenPrefix,
  isAcceptableAdminKey,
  mintToken,
} from "../src/token-format.ts";

const trust = createTestTrust();
const now = () => 1_700_000_000_000;
const sign = createPrincipalSigner(trust.of("router", now), "chat", now);
const verify = createPrincipalVerifier(trust.of("chat", now), now);
const signed = sign({ kind: "admin", adminKeyId: 1, name: "fuzz", role: "owner", projects: null }, "POST");

/** Only signed values are accepted. */
function verifyHeader(bytes: Buffer): void {
  const header = bytes.toString("latin1");
  const principal = verify(header, "POST");
  assert.ok(principal);
  const [keyId, payload, signature = ""] = signed.split(".");
  // Base64 has unused bits: texts that decode to the same bytes are the same signature.
  const [sentKeyId, sentPayload, sentSignature = ""] = header.split(".");
  assert.equal(sentKeyId, keyId);
  assert.equal(sentPayload, payload);
  assert.deepEqual(Buffer.from(sentSignature, "base64url"), Buffer.from(signature, "base64url"));
}

function readToken(bytes: Buffer): void {
  const text = bytes.toString("latin1");
  if (checksumHolds(text)) assert.ok(hasTokenPrefix(text));
  if (isAcceptableAdminKey(text)) assert.ok(hasAdminKeyPrefix(text));
}

export const fuzzTargets = [
  {
    name: "principal-header",
    seeds: [signed, "a.b", "eyJhbGciOiJub25lIn0.e30."],
    words: [".", "==", "-", "_"],
    run: verifyHeader,
    isDeclared: isGatewayError,
  },
  {
    name: "token",
    seeds: [mintToken("live").reveal(), `svc_admin_${"a".repeat(40)}`],
    words: ["svc_live_", "svc_test_", "svc_admin_"],
    run: readToken,
    isDeclared: () => false,
  },
];
