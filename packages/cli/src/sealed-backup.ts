import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { CliError } from "./cli-error.ts";
import type { ControlPlane } from "./control-plane.ts";
import { fillReferences } from "./document-file.ts";

/** First line of an armored age file (age-encryption.org/v1). */
const armorStart = "-----BEGIN AGE ENCRYPTED FILE-----";
/** The library loads only where a backup is sealed or opened: other commands start without it. */
const loadAge = async () => await import("age-encryption");

/** A configuration with its secrets. */
interface FullExport {
  readonly document: JsonObject;
  /** Number of secrets in the document. */
  readonly secretCount: number;
  /** `${NAME}` references that the gateway had no value for: kept elsewhere, or not to be opened. */
  readonly missing: readonly string[];
}

/**
 * Exports with secrets. The gateway seals them to a key pair of this one run, so that no reply and no log holds a plaintext.
 * @throws CliError with the gateway's own message
 */
export async function exportWithSecrets(control: ControlPlane): Promise<FullExport> {
  const { generateX25519Identity, identityToRecipient } = await loadAge();
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const answer = await control.call("svc_export_backup", { recipient });
  const { document, secret_names: all, sealed_secrets: sealed } = answer;
  if (!isJsonObject(document) || !isJsonObject(sealed))
    throw new CliError("The gateway's answer has no sealed secrets.");
  const values = await openParts(sealed, identity);
  const names = Array.isArray(all) ? all.map(String) : [];
  return {
    document: fillReferences(document, (name) => values.get(name)) as JsonObject,
    secretCount: values.size,
    missing: names.filter((name) => !values.has(name)),
  };
}

/** The secrets by the name in `${NAME}`. */
async function openParts({ names, parts }: JsonObject, identity: string): Promise<ReadonlyMap<string, string>> {
  const { armor, Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const nameOf = isJsonObject(names) ? names : {};
  const values = new Map<string, string>();
  for (const part of Array.isArray(parts) ? parts : []) {
    const opened = JSON.parse(await decrypter.decrypt(armor.decode(String(part)), "text")) as JsonObject;
    for (const [place, secret] of Object.entries(opened)) {
      const name = nameOf[place];
      if (typeof name === "string") values.set(name, String(secret));
    }
  }
  return values;
}

/** Base-two logarithm of the work of one guess at a passphrase (scrypt's N): about a second. It is what `age` itself takes. */
const guessWork = 18;

/** Seals a text under a passphrase, as an armored age file that `age -d` opens too. Opening costs the same `work` as sealing. */
export async function sealUnderPassphrase(text: string, passphrase: string, work = guessWork): Promise<string> {
  const { armor, Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(work);
  encrypter.setPassphrase(passphrase);
  return armor.encode(await encrypter.encrypt(text));
}

/** Whether a file is sealed, by its first line. */
export function isSealed(text: string): boolean {
  return text.trimStart().startsWith(armorStart);
}

/**
 * Opens what {@link sealUnderPassphrase} made. The whole file is authenticated, so that one which is cut off or changed does not open.
 * @throws CliError that says whether the passphrase or the file is wrong
 */
export async function openWithPassphrase(text: string, passphrase: string): Promise<string> {
  const { armor, Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  let sealed: Uint8Array;
  try {
    sealed = armor.decode(text);
  } catch {
    throw damaged();
  }
  try {
    return await decrypter.decrypt(sealed, "text");
  } catch (err) {
    // The library has no classes of errors; of its messages only this one is about the passphrase.
    if (!(err instanceof Error) || !err.message.includes("no identity matched")) throw damaged();
    throw new CliError("The passphrase does not open this backup. Nothing was changed.");
  }
}

function damaged(): CliError {
  return new CliError("The backup is damaged or cut off: it does not open as a whole. Nothing was changed.");
}
