/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/**
 * A random text that a pattern matches. Knows what the rule base uses: literals, classes with ranges, groups with
 * alternatives, and counts.
 */
export function randomMatch(pattern: string, random: () => number): string {
  const state = { at: 0 };
  const source = pattern.replaceAll("{uuid}", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

  function alternatives(): string {
    const options: string[] = [sequence()];
    while (source[state.at] === "|") {
      state.at += 1;
      options.push(sequence());
    }
    return pick(options);
  }

  function sequence(): string {
    let text = "";
    while (state.at < source.length && source[state.at] !== "|" && source[state.at] !== ")") text += piece();
    return text;
  }

  function piece(): string {
    const start = state.at;
    atom();
    const end = state.at;
    const [least, most] = count();
    const after = state.at;
    let text = "";
    for (let left = least + Math.floor(random() * (most - least + 1)); left > 0; left -= 1) {
      state.at = start;
      text += atom();
    }
    state.at = Math.max(after, end);
    return text;
  }

  function atom(): string {
    const char = source[state.at];
    state.at += 1;
    if (char === "[") return pick(members());
    if (char === "(") {
      state.at += 2;
      const text = alternatives();
      state.at += 1;
      return text;
    }
    if (char !== "\\") return char ?? "";
    const escaped = source[state.at] ?? "";
    state.at += 1;
    return escaped === "d" ? pick(Array.from("0123456789")) : escaped;
  }

  function members(): string[] {
    const chars: string[] = [];
    while (source[state.at] !== "]") {
      const first = source.charCodeAt(state.at);
      const isRange = source[state.at + 1] === "-" && source[state.at + 2] !== "]";
      const last = isRange ? source.charCodeAt(state.at + 2) : first;
      for (let code = first; code <= last; code += 1) chars.push(String.fromCharCode(code));
      state.at += isRange ? 3 : 1;
    }
    state.at += 1;
    return chars;
  }

  function count(): [number, number] {
    const match = /^(?:\?|\{(\d+)(?:,(\d+))?\})/.exec(source.slice(state.at));
    if (match === null) return [1, 1];
    state.at += match[0].length;
    if (match[0] === "?") return [0, 1];
    // Much longer ones than the shortest are no other case.
    return [Number(match[1]), Math.min(Number(match[2] ?? match[1]), Number(match[1]) + 20)];
  }

  return alternatives();
}
