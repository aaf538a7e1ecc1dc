/** Longest subject of a commit, characters: what `git log --oneline` and web pages show whole. */
export const subjectLengthMax = 72;
/** Areas, a colon, then lower case: `router, chat: pass a trace on`. An area may have a colon inside, as `start:services`. */
const subjectForm = /^[a-z.][\w.:/-]*(?:, [a-z.][\w.:/-]*)*: [a-z`]/;
/** Subjects that git writes by itself. */
const writtenByGit = /^(?:Merge |Revert "|fixup! |squash! )/;

/** Problem of a commit's subject, worded to follow it; undefined where there is none. */
export function findSubjectProblem(subject: string): string | undefined {
  if (writtenByGit.test(subject)) return undefined;
  if (subject.length > subjectLengthMax) return `has ${subject.length} characters; at most ${subjectLengthMax}`;
  return subjectForm.test(subject) ? undefined : "is not `area: verb object`";
}

/** Problem of a whole message, as an editor leaves it: lines that open with `#` are git's. */
export function findMessageProblem(message: string): string | undefined {
  const lines = message.split("\n").filter((line) => !line.startsWith("#"));
  const [subject = "", ...body] = lines.slice(lines.findIndex((line) => line.trim() !== ""));
  const problem = findSubjectProblem(subject.trim());
  if (problem !== undefined) return `the subject ${problem}`;
  if (writtenByGit.test(subject)) return undefined;
  return body.some((line) => line.trim() !== "") ? undefined : "it has no body, which says why";
}
