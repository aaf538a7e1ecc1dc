import { readFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { decodeModel, type InjectionModel, modelBytesMax } from "./domain/injection/model.ts";

/** Where the trainer writes and the service reads the weights; the same path from `src` and from `dist`. */
export const modelFileUrl = new URL("../model/injection.bin", import.meta.url);

let model: InjectionModel | undefined;

/** The shipped model, read once. Throws when the file is missing or damaged: the service must not start without it. */
export function loadModel(): InjectionModel {
  model ??= decodeModel(brotliDecompressSync(readFileSync(modelFileUrl), { maxOutputLength: modelBytesMax }));
  return model;
}

/** The bytes of a model as they are kept in the file: compressed, for most weights are small. */
export function packModelFile(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes);
}
