import { readFileSync } from "node:fs";
import { decodeModel, type InjectionModel } from "./domain/injection/model.ts";

/** Where the trainer writes and the service reads the weights; the same path from `src` and from `dist`. */
export const modelFileUrl = new URL("../model/injection.bin", import.meta.url);

let model: InjectionModel | undefined;

/** The shipped model, read once. Throws when the file is missing or damaged: the service must not start without it. */
export function loadModel(): InjectionModel {
  model ??= decodeModel(readFileSync(modelFileUrl));
  return model;
}
