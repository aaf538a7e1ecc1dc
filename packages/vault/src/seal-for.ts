import { invalidArgument } from "@gatehouse/errors";

/** An age recipient of the kind X25519 (age-encryption.org/v1): a public key in Bech32. */
export const recipientPattern = /^age1[02-9ac-hj-np-z]{58}$/;
/** Characters of a recipient. */
export const recipientLengthMax = 62;

/**
 * Seals a text to the holder of a recipient's private key, as an armored age file. The gateway itself cannot open it again.
 * @throws GatewayError `invalid_argument` for what is no recipient
 */
export async function sealFor(recipient: string, text: string): Promise<string> {
  // Loaded by the few processes that export secrets, and by those at that moment only.
  const { armor, Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw invalidArgument("recipient must be an age recipient (age1…) with a valid checksum", {
      cause,
    });
  }
  return armor.encode(await encrypter.encrypt(text));
}
