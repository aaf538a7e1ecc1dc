import { useState } from "react";
import type { PlaygroundSearch } from "../../api/search.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { usePlaygroundToken } from "../../parts/playground-token.tsx";
import type { Draft } from "./conversation.tsx";
import { sendProblem } from "./send-problem.ts";
import { type Talk, useTalk } from "./use-talk.ts";

interface SidesOptions {
  readonly project: Project;
  readonly left: Endpoint;
  /** Undefined: one conversation. */
  readonly right: Endpoint | undefined;
  readonly search: PlaygroundSearch;
}

interface Side {
  readonly talk: Talk;
  readonly problem: string | undefined;
}

/** One conversation, or two that have the message and the variables in common and are sent together. */
export function useSides({ project, left, right, search }: SidesOptions) {
  const token = usePlaygroundToken(project.uuid);
  const [text, setText] = useState("");
  const [variables, setVariables] = useState<Draft["variables"]>({});
  const common = { project, token, text, variables };
  const first = useTalk({ ...common, endpoint: left, target: search.target });
  const second = useTalk({ ...common, endpoint: right ?? left, target: search.beside_target });
  const talks = right === undefined ? [first] : [first, second];
  const send = async () => {
    const states = await Promise.all(talks.map(async (talk) => await talk.send()));
    // Keeps a next message that was typed meanwhile, and one that has to be sent again.
    if (states.every((state) => state === "done")) setText((now) => (now === text ? "" : now));
  };
  const side = (talk: Talk, ...others: readonly Talk[]): Side => ({
    talk,
    problem: sendProblem({ token, text, sides: [talk, ...others] }),
  });
  return {
    first: right === undefined ? side(first) : side(first, second),
    second: side(second, first),
    common: {
      draft: { text, onText: setText, variables, onVariables: setVariables } satisfies Draft,
      sendLabel: right === undefined ? "Send" : "Send both",
      onSend: () => void send(),
      onStop() {
        for (const { stop } of talks) stop();
      },
    },
  };
}
