import { generateKeyPairSync, sign } from "node:crypto";
import { isIP } from "node:net";
import { parseAddress } from "../src/address.ts";

/** A self-signed certificate and its key, PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a P-256 certificate for the given names and addresses, in the DER form of RFC 5280. */
export function createCertificate(hosts: readonly string[]): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const name = sequence(tag(0x31, sequence(objectId(0x55, 0x04, 0x03), tag(0x0c, Buffer.from("test")))));
  const altNames = sequence(objectId(0x55, 0x1d, 0x11), tag(0x04, sequence(...hosts.map(altName))));
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.of(2))),
    tag(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    sequence(time("20200101000000Z"), time("20991231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tag(0xa3, sequence(altNames)),
  );
  const signature = tag(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, privateKey)]));
  const base64 = sequence(body, ecdsaWithSha256, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})(?=.)/g, "$1\n")}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

function altName(host: string): Buffer {
  return isIP(host) === 0 ? tag(0x82, Buffer.from(host)) : tag(0x87, Buffer.from(parseAddress(host) ?? []));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function objectId(...bytes: readonly number[]): Buffer {
  return tag(0x06, Buffer.from(bytes));
}

function time(text: string): Buffer {
  return tag(0x18, Buffer.from(text));
}

function tag(id: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(id, length), content]);
  return Buffer.concat([Buffer.of(id, 0x82, length >> 8, length & 0xff), content]);
}
