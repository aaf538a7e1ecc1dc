import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { recipientPattern, sealFor } from "./index.ts";

test("a secret sealed for a recipient opens only with its identity", async () => {
  const [identity, stranger] = [await generateX25519Identity(), await generateX25519Identity()];
  const recipient = await identityToRecipient(identity);
  expect(recipient).toMatch(recipientPattern);
  const sealed = await sealFor(recipient, "sk-value");
  expect(sealed).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
  expect(sealed).not.toContain("sk-value");
  const open = async (by: string) => {
    const decrypter = new Decrypter();
    decrypter.addIdentity(by);
    return await decrypter.decrypt(armor.decode(sealed), "text");
  };
  expect(await open(identity)).toBe("sk-value");
  await expect(open(stranger)).rejects.toThrow();
});

test.each(["", "age1", `age1${"q".repeat(58)}`, "AGE-SECRET-KEY-1"])("%j is not a recipient", async (recipient) => {
  await expect(sealFor(recipient, "x")).rejects.toThrow("recipient must be an age recipient");
});
