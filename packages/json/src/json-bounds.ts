/** Bounds of a JSON text, which also bound all later work on its value. */
export interface JsonBounds {
  /** Nesting of arrays and objects. */
  readonly depthMax: number;
  /** Values of every kind in the whole text, arrays and objects included. */
  readonly valuesMax: number;
  /** Arrays and objects, which cost a multiple of numbers; defaults to the bound of values. */
  readonly containersMax?: number;
  /** Members ("key": value) of all objects together; they cost a multiple of other values. */
  readonly membersMax: number;
  /** Members of one object, whose keys the engine lists in one go; defaults to the bound of all members. */
  readonly objectMembersMax?: number;
  /** UTF-16 units of a key, as written in the text. */
  readonly keyLengthMax: number;
}

/**
 * Bounds of an untrusted text. A batch of embeddings with 300,000 token ids (OpenAI's maximum) fits, as do 10,000 messages of two
 * parts each. The most expensive text takes about 50 ms to parse and 40 MiB to hold.
 */
export const jsonBounds: JsonBounds = {
  depthMax: 128,
  valuesMax: 400_000,
  membersMax: 80_000,
  objectMembersMax: 10_000,
  keyLengthMax: 4_096,
};
