import { useState } from "react";
import type { Endpoint, Project } from "../../api/types.ts";
import { variablesOf } from "../../parts/prompt-variables.ts";
import { randomUuid } from "../../parts/random-uuid.ts";
import { areSendable, initialSettings, type Settings, toolsOf } from "./call-settings.tsx";
import { type ChatCall, toChatCall, type Turn } from "./chat-body.ts";
import type { ChatReply } from "./chat-reply.ts";
import { useChatCall } from "./use-chat-call.ts";

interface TalkOptions {
  readonly project: Project;
  /** Another endpoint begins another conversation. */
  readonly endpoint: Endpoint;
  /** Position of the only target to call, from 1; undefined: the endpoint's order. */
  readonly target: number | undefined;
  readonly token: string;
  /** Message to send. */
  readonly text: string;
  /** Values by name; those of other endpoints' prompts are not sent. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A conversation with one endpoint, and its latest call. */
export interface Talk {
  readonly turns: readonly Turn[];
  readonly settings: Settings;
  readonly setSettings: (settings: Settings) => void;
  readonly areSettingsValid: boolean;
  /** The call that would be made now. */
  readonly call: ChatCall;
  readonly reply: ChatReply | undefined;
  readonly isRunning: boolean;
  /** @returns the state at the call's end */
  readonly send: () => Promise<ChatReply["state"]>;
  readonly stop: () => void;
  /** Begins again, without a running call. */
  readonly reset: () => void;
}

interface Kept {
  /** Uuid of the endpoint that it belongs to. */
  readonly of: string;
  readonly turns: readonly Turn[];
  readonly settings: Settings;
}

/** Keeps a conversation while the endpoint stays. */
export function useTalk({ project, endpoint, target, token, text, variables }: TalkOptions): Talk {
  const { uuid: of } = endpoint;
  const [kept, setKept] = useState<Kept>();
  const ofThis = (known: Kept | undefined): Kept =>
    known?.of === of ? known : { of, turns: [], settings: initialSettings };
  const { turns, settings } = ofThis(kept);
  const { reply, isRunning, send, stop, clear } = useChatCall(of);
  const next: readonly Turn[] = [...turns, { role: "user", content: text }];
  const named = Object.fromEntries(variablesOf(endpoint).map((name) => [name, variables[name] ?? ""]));
  const { sessionId } = settings;
  const input = { turns: next, variables: named, sessionId, tools: toolsOf(settings), target };
  const call = toChatCall(project, endpoint, input);
  return {
    turns,
    settings,
    setSettings: (changed) => setKept((now) => ({ ...ofThis(now), settings: changed })),
    areSettingsValid: areSendable(settings),
    call,
    reply,
    isRunning,
    async send() {
      const { state, text: answer } = await send(call, token);
      if (state === "done") {
        setKept((now) => ({ ...ofThis(now), turns: [...next, { role: "assistant", content: answer }] }));
      }
      return state;
    },
    stop,
    reset() {
      stop();
      clear();
      setKept({ of, turns: [], settings: { ...settings, sessionId: sessionId && randomUuid() } });
    },
  };
}
