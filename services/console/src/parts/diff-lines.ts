/** A line of a comparison. */
interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Longest texts that are compared by line: the cost grows with the product of their lengths. */
const linesMax = 1_500;

/** Difference of two texts, by their longest common subsequence of lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [left, right] = [linesOf(before), linesOf(after)];
  if (left.length > linesMax || right.length > linesMax) return [...all(left, "removed"), ...all(right, "added")];
  const common = commonLengths(left, right);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [old = "", next = ""] = [left[i], right[j]];
    if (i < left.length && j < right.length && old === next) {
      lines.push({ kind: "same", text: old });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ kind: "removed", text: old });
      i += 1;
    } else {
      lines.push({ kind: "added", text: next });
      j += 1;
    }
  }
  return lines;
}

/** An empty text has no lines. */
function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** For each pair of positions, the number of common lines in the rests of both texts. */
function commonLengths(left: readonly string[], right: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    const row = rows[i];
    if (row === undefined) continue;
    for (let j = right.length - 1; j >= 0; j -= 1) {
      row[j] = left[i] === right[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

function all(lines: readonly string[], kind: DiffLine["kind"]): readonly DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}
