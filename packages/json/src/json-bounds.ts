/** Bounds of a JSON text, so that everything done with its value later is bounded too. */
export interface JsonBounds {
  /** Arrays and objects inside one another. */
  readonly depthMax: number;
  /** Values of every kind in the whole text, arrays and objects included. */
  readonly valuesMax: number;
  /** Arrays and objects among them, which cost a multiple of numbers; as many as values where absent. */
  readonly containersMax?: number;
  /** Members ("key": value) of all objects together; they cost a multiple of other values. */
  readonly membersMax: number;
  /** Members of one object, as many as of all where absent: the engine lists the keys of an object in one go. */
  readonly objectMembersMax?: number;
  /** UTF-16 units of an object's key, as it is written in the text. */
  readonly keyLengthMax: number;
}

/**
 * The bounds of a text from outside. A batch of embeddings, 300,000 token ids (OpenAI's own maximum), fits; so do
 * 10,000 messages of two parts each. The most expensive text within them takes about 50 ms to parse and 40 MiB to hold.
 */
export const jsonBounds: JsonBounds = {
  depthMax: 128,
  valuesMax: 400_000,
  membersMax: 80_000,
  objectMembersMax: 10_000,
  keyLengthMax: 4_096,
};
