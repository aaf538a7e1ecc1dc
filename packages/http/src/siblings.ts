/**
 * The other processes of a product that answer calls at the same port (`WORKERS`), without the asking one. Questions and answers
 * are JSON values.
 */
export interface Siblings {
  /** Registers the answer to a subject's questions, one for each subject. */
  answer(subject: string, answering: (question: unknown) => unknown): void;
  /** Asks all of them. Never rejects: processes that fail or are late have no answer. */
  ask(subject: string, question: unknown): Promise<readonly unknown[]>;
}
