import { invalidArgument } from "@gatehouse/errors";

/** An age recipient of the kind X25519 (age-encryption.org/v1): a public key in Bech32. */
export const recipientPattern = /^age1[02-9ac-hj-np-z]{58}$/;
/** Length of every recipient that {@link recipientPattern} matches, characters. */
export const recipientLengthMax = 62;

/**
 * Seals a text to a recipient's private key, as an armored age file. The gateway itself cannot open it.
 * @throws GatewayError `invalid_argument` for an invalid recipient
 */
export async function sealFor(recipient: string, text: string): Promise<string> {
  // Loaded on use, since few processes export secrets.
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
