/** Keys in one statement. */
const batchKeysMax = 500;

interface Question<Key, Row> {
  readonly key: Key;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (err: unknown) => void;
}

/**
 * Makes many questions for one row each into few statements: all that are asked in one turn of the event loop go together.
 * A question that stands alone waits no longer than that turn.
 * @param readMany answers at each key's place; what it throws rejects the questions of that statement.
 */
export function createBatchRead<Key, Row>(
  readMany: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  let waiting: Question<Key, Row>[] = [];
  const send = async (questions: readonly Question<Key, Row>[]) => {
    try {
      const rows = await readMany(questions.map(({ key }) => key));
      questions.forEach(({ resolve }, at) => resolve(rows[at]));
    } catch (err) {
      for (const { reject } of questions) reject(err);
    }
  };
  const sendAll = () => {
    const asked = waiting;
    waiting = [];
    for (let at = 0; at < asked.length; at += batchKeysMax) void send(asked.slice(at, at + batchKeysMax));
  };
  return async (key) =>
    await new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) setImmediate(sendAll);
    });
}
