import { writeFile } from "node:fs/promises";
import { codeOf } from "@gatehouse/errors";
import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { formatDocument, parseDocumentText } from "./document-file.ts";
import { findPlanProblem, formatPlan, formatSecrets } from "./plan.ts";
import { exportWithSecrets, isSealed, openWithPassphrase, sealUnderPassphrase } from "./sealed-backup.ts";
import type { Session } from "./session.ts";
import { readInput } from "./settings.ts";

const passphraseOption = "--passphrase-from <from>";
const passphraseSource = "where its passphrase is: env:NAME, file:PATH or -; asked for where absent";

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly passphraseFrom?: string;
}

/** `gatehouse apply` */
export function addApply(program: Command, session: Session): void {
  program
    .command("apply")
    .description("Makes everything in a configuration document as it says: shows the plan, then makes the changes.")
    .requiredOption("-f, --file <path>", "YAML or JSON document, a sealed backup, or - for standard input")
    .option("--dry-run", "only show the plan")
    .option(passphraseOption, `of a sealed backup: ${passphraseSource}`)
    .action(async (options: ApplyOptions) => {
      const document = parseDocumentText(await readDocument(options, session), session.terminal.env);
      const control = await session.connect();
      const answer = await control.call("svc_apply_config", { document, dry_run: options.dryRun === true });
      session.show(answer, () => [formatPlan(answer), ...formatSecrets(answer)].join("\n"));
      const problem = findPlanProblem(answer);
      if (problem !== undefined) throw new CliError(problem);
    });
}

async function readDocument({ file, passphraseFrom }: ApplyOptions, session: Session): Promise<string> {
  if (file === "-" && passphraseFrom === "-") {
    throw new CliError("The document and the passphrase cannot both come from standard input.", 2);
  }
  const text = await readInput(file, session.terminal.stdin);
  if (isSealed(text)) return await openWithPassphrase(text, await session.readPassphrase(passphraseFrom));
  if (passphraseFrom === undefined) return text;
  throw new CliError(`${file} is not sealed: leave --passphrase-from out.`, 2);
}

interface ExportOptions {
  readonly output?: string;
  readonly withSecrets?: boolean;
  readonly passphraseFrom?: string;
}

/** `gatehouse export` */
export function addExport(program: Command, session: Session): void {
  program
    .command("export")
    .description("Prints the whole configuration as a document that `apply` takes. Where a secret was, it has ${NAME}.")
    .option("-o, --output <path>", "write to a file")
    .option("--with-secrets", "with the secrets, as a file that a passphrase seals (age); for owners")
    .option(passphraseOption, `with --with-secrets: ${passphraseSource}`)
    .action(async (options: ExportOptions) => {
      if (options.withSecrets === true) return await exportSealed(options, session);
      if (options.passphraseFrom !== undefined) throw new CliError("--passphrase-from needs --with-secrets.", 2);
      return await exportPlain(options, session);
    });
}

async function exportPlain({ output }: ExportOptions, session: Session): Promise<void> {
  const control = await session.connect();
  const { document, secret_names: names } = await control.call("svc_export_backup", {});
  if (output === undefined) return session.show(document, () => formatDocument(document).trimEnd());
  await write(output, formatDocument(document));
  const list = Array.isArray(names) ? names.map(String) : [];
  const lines = [`Written to ${output}.`, ...toSet(list, "To restore it elsewhere")];
  return session.show({ output, secret_names: list }, () => lines.join("\n"));
}

async function exportSealed({ output, passphraseFrom }: ExportOptions, session: Session): Promise<void> {
  const passphrase = await session.readNewPassphrase(passphraseFrom);
  const { document, secretCount, missing } = await exportWithSecrets(await session.connect());
  const sealed = await sealUnderPassphrase(formatDocument(document), passphrase);
  if (output === undefined) return session.terminal.out(sealed.trimEnd());
  await write(output, sealed);
  const lines = [
    `Written to ${output}, sealed under the passphrase. Secrets in it: ${secretCount}.`,
    ...toSet(missing, "Some are kept elsewhere or cannot be opened. To restore it"),
  ];
  const answer = { output, secrets: secretCount, missing_secret_names: missing };
  return session.show(answer, () => lines.join("\n"));
}

function toSet(names: readonly string[], purpose: string): readonly string[] {
  if (names.length === 0) return [];
  return [`${purpose}, set these in the environment of \`apply\`:`, ...names.map((name) => `  ${name}`)];
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    throw new CliError(`${path} cannot be written (${code}).`);
  }
}
