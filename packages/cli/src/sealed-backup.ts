import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { CliError } from "./cli-error.ts";
import type { ControlPlane } from "./control-plane.ts";
import { fillSecrets } from "./document-secrets.ts";

/** First line of an armored age file (age-encryption.org/v1). */
const armorStart = "-----BEGIN AGE ENCRYPTED FILE-----";
/** Loaded only where a backup is sealed or opened, since it would slow the start of other commands. */
const loadAge = async () => await import("age-encryption");

interface FullExport {
  readonly document: JsonObject;
  readonly secretCount: number;
  /** `${NAME}` references without a value on the gateway: kept elsewhere, or unreadable. */
  readonly missing: readonly string[];
}

/**
 * Exports with secrets. The gateway seals them to a key pair of this run, so that no reply and no log holds a plaintext.
 * @throws CliError with the gateway's message
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
    document: fillSecrets(document, (name) => values.get(name)),
    secretCount: values.size,
    missing: names.filter((name) => !values.has(name)),
  };
}

/** Secrets by the name in `${NAME}`. */
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

/** Base-two logarithm of scrypt's N: about a second per guess at a passphrase. The default of `age`. */
const guessWork = 18;

/** Seals a text with a passphrase, as an armored age file that `age -d` can open. Opening costs the same `work` as sealing. */
export async function sealUnderPassphrase(text: string, passphrase: string, work = guessWork): Promise<string> {
  const { armor, Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(work);
  encrypter.setPassphrase(passphrase);
  return armor.encode(await encrypter.encrypt(text));
}

/** Whether a backup has the first line of an armored age file; nothing after that line is checked. */
export function isSealed(text: string): boolean {
  return text.trimStart().startsWith(armorStart);
}

/**
 * Opens a file of {@link sealUnderPassphrase}. The whole file is authenticated, so a cut or changed one does not open.
 * @throws CliError that names the fault: the passphrase or the file
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
    // The library has no error classes; only this message concerns the passphrase.
    if (!(err instanceof Error) || !err.message.includes("no identity matched")) throw damaged();
    throw new CliError("The passphrase does not open this backup. Nothing was changed.");
  }
}

function damaged(): CliError {
  return new CliError("The backup is damaged or cut off: it does not open as a whole. Nothing was changed.");
}
