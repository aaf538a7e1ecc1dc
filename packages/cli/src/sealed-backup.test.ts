import type { JsonObject } from "@gatehouse/json";
import { armor, Encrypter } from "age-encryption";
import { expect, test } from "vitest";
import type { ControlPlane } from "./control-plane.ts";
import { exportWithSecrets, isSealed, openWithPassphrase, sealUnderPassphrase } from "./sealed-backup.ts";

const passphrase = "correct horse battery staple";
const damaged = "damaged or cut off";

test("a guess of a passphrase costs 2^18 blocks of scrypt", async () => {
  const [, stanza] = Buffer.from(armor.decode(await sealUnderPassphrase("x", passphrase)))
    .toString("latin1")
    .split("\n");
  expect(stanza).toMatch(/^-> scrypt \S+ 18$/);
});

test("a backup opens only with its passphrase and only if it is complete", async () => {
  const text = `document: ${"x".repeat(100_000)}`;
  const littleWork = 10;
  const sealed = await sealUnderPassphrase(text, passphrase, littleWork);
  expect([isSealed(sealed), isSealed(text)]).toEqual([true, false]);
  expect(await openWithPassphrase(sealed, passphrase)).toBe(text);
  await expect(openWithPassphrase(sealed, `${passphrase} `)).rejects.toThrow(
    "The passphrase does not open this backup.",
  );
  await expect(openWithPassphrase(sealed.slice(0, 70_000), passphrase)).rejects.toThrow(damaged);
  // Cut where the armor's last line is restored, and inside the header.
  const bytes = armor.decode(sealed);
  for (const length of [bytes.length - 1, 40]) {
    const cut = armor.encode(bytes.slice(0, length));
    await expect(openWithPassphrase(cut, passphrase), `${length} bytes`).rejects.toThrow(damaged);
  }
  const altered = Uint8Array.from(bytes, (byte, index) => (index === bytes.length - 500 ? byte ^ 1 : byte));
  await expect(openWithPassphrase(armor.encode(altered), passphrase)).rejects.toThrow(damaged);
});

async function sealPart(recipient: string, secrets: object): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return armor.encode(await encrypter.encrypt(JSON.stringify(secrets)));
}

function documentWith(key: string, ...tokens: readonly string[]): JsonObject {
  const upstreams = tokens.map((token, index) => ({ prefix: `u${index}`, bearer_token: token }));
  const project = { name: "a", endpoints: [{ slug: "a", description: "${A}" }], upstreams };
  return { version: 1, providers: [{ name: "p", credentials: [{ api_key: key }] }], projects: [project] };
}

test("secrets of all parts replace their names, and a name without a secret is kept and listed", async () => {
  const control: ControlPlane = {
    async call(_operation, { recipient }) {
      const to = String(recipient);
      const parts = [
        await sealPart(to, { "credential/1/api_key": "sk-1", "credential/9/api_key": "of no name" }),
        await sealPart(to, { "upstream/2/bearer_token": "${HOME}" }),
      ];
      const names = {
        "credential/1/api_key": "A",
        "upstream/2/bearer_token": "B",
        "upstream/3/bearer_token": "C",
      };
      const document = documentWith("${A}", "${B}", "${C}");
      return { document, secret_names: ["A", "B", "C"], sealed_secrets: { names, parts } };
    },
    listOperations: async () => await Promise.resolve([]),
  };
  expect(await exportWithSecrets(control)).toEqual({
    // A secret that looks like a reference must not become one.
    document: documentWith("sk-1", "$${HOME}", "${C}"),
    secretCount: 2,
    missing: ["C"],
  });
});
