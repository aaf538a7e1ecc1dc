import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";

/** Corpus of one target in the repository, bytes: enough to continue the last run, and small for git. */
const keptBytesMax = 6 * 1024;
const keptInputBytesMax = 512;

/** Inputs of a target that each ran new code. */
export class Corpus {
  readonly #folder: string;
  readonly #inputs: Buffer[] = [];
  /** Seeds of the target, and inputs kept by earlier runs. */
  readonly initial: readonly Buffer[];

  constructor(folder: string, seeds: readonly (string | Uint8Array)[]) {
    this.#folder = folder;
    this.initial = [...seeds.map((seed) => Buffer.from(seed)), ...readKept(folder)];
    if (this.initial.length === 0) throw new Error(`${folder}: a target needs a seed.`);
  }

  /** Never empty. */
  get inputs(): readonly Buffer[] {
    return this.#inputs.length === 0 ? this.initial : this.#inputs;
  }

  add(input: Buffer): void {
    this.#inputs.push(Buffer.from(input));
  }

  /** Saves small inputs that a run has added, within the bound. */
  save(): void {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    let bytes = 0;
    for (const input of this.#inputs.toSorted((a, b) => a.length - b.length)) {
      bytes += input.length;
      if (bytes > keptBytesMax || input.length > keptInputBytesMax) return;
      writeFileSync(join(this.#folder, nameOf(input)), input);
    }
  }
}

/** Content-addressed, so that equal inputs of two runs are one file. */
export function nameOf(input: Buffer): string {
  return createHash("sha256").update(input).digest("hex").slice(0, 16);
}

function readKept(folder: string): Buffer[] {
  try {
    return readdirSync(folder)
      .toSorted()
      .map((name) => readFileSync(join(folder, name)));
  } catch (err) {
    if (hasCode(err, "ENOENT")) return [];
    throw err;
  }
}
