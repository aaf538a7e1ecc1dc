import { ActionIcon, Button, Group, NativeSelect, Paper, Stack, Text } from "@mantine/core";
import { type KeyboardEvent, useId, useMemo } from "react";
import { CallError } from "../../api/call-error.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FindSelect } from "../../parts/find-select.tsx";
import { FreeText } from "../../parts/free-text.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { CallSettings } from "./call-settings.tsx";
import { CallSnippets } from "./call-snippets.tsx";
import { CallTrail } from "./call-trail.tsx";
import type { Turn } from "./chat-body.ts";
import type { ChatReply } from "./chat-reply.ts";
import type { Talk } from "./use-talk.ts";

/** Input to send; conversations side by side have it in common. */
export interface Draft {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly variables: Readonly<Record<string, string>>;
  readonly onVariables: (variables: Readonly<Record<string, string>>) => void;
}

interface ConversationProps {
  readonly project: Project;
  readonly endpoints: readonly Endpoint[];
  readonly endpoint: Endpoint;
  readonly talk: Talk;
  readonly draft: Draft;
  /** Position of the only target to call, from 1; undefined: the endpoint's order. */
  readonly target: number | undefined;
  /** Why the message cannot be sent. */
  readonly problem: string | undefined;
  readonly sendLabel: string;
  readonly onSend: () => void;
  /** Stops every running call. */
  readonly onStop: () => void;
  readonly onChoose: (slug: string) => void;
  readonly onTarget: (place: number | undefined) => void;
  /** Opens a second conversation beside this one. */
  readonly onBeside?: () => void;
  readonly onClose?: () => void;
}

/** A conversation with one endpoint, and the timing of its latest call. */
export function Conversation(props: ConversationProps) {
  const { project, endpoint, talk, draft, problem, onSend, onStop } = props;
  const { turns, settings, setSettings, reply, isRunning, call } = talk;
  const canSend = problem === undefined && !isRunning;
  // Escape stops the call from anywhere in the conversation, since a click on Send leaves the focus on that button.
  return (
    <Paper
      className="console-panel"
      p="md"
      component="section"
      aria-label={nameOf(props)}
      onKeyDown={({ key }) => key === "Escape" && onStop()}
    >
      <Stack gap="sm">
        <Head {...props} />
        <CallSettings
          {...{ project, endpoint, settings }}
          variables={draft.variables}
          onVariables={draft.onVariables}
          onChange={setSettings}
        />
        <Turns turns={turns} reply={reply} />
        <FreeText
          label="Message"
          description="Ctrl-Enter sends, Escape stops."
          value={draft.text}
          onText={draft.onText}
          onKeyDown={(event) => canSend && isSending(event) && onSend()}
          minRows={2}
          maxRows={12}
        />
        <SendOrStop {...props} />
        <LiveResult>{reply !== undefined && <CallTrail reply={reply} />}</LiveResult>
        <CallSnippets call={call} />
      </Stack>
    </Paper>
  );
}

/** One button, so that the focus stays on it when the call begins. */
function SendOrStop({ talk: { isRunning, stop }, problem, sendLabel, onSend }: ConversationProps) {
  const reasonId = useId();
  const hasReason = !isRunning && problem !== undefined;
  return (
    <Group justify="flex-end" gap="sm">
      {hasReason && (
        <Text id={reasonId} size="xs" c="dimmed">
          {problem}
        </Text>
      )}
      {isRunning ? (
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
      ) : (
        <Button disabled={hasReason} aria-describedby={hasReason ? reasonId : undefined} onClick={onSend}>
          {sendLabel}
        </Button>
      )}
    </Group>
  );
}

function isSending({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey);
}

function nameOf({ endpoint: { slug }, target }: ConversationProps): string {
  return `Conversation with ${slug}${target === undefined ? "" : `, target ${target}`}`;
}

function Head({ endpoints, endpoint, talk, target, onChoose, onTarget, onBeside, onClose }: ConversationProps) {
  const options = useMemo(() => endpoints.map(({ slug }) => ({ value: slug, label: slug })), [endpoints]);
  const targets = (endpoint.targets ?? []).map(({ provider, model }) => `${provider}/${model}`);
  return (
    <Group justify="space-between" align="flex-end">
      <Group gap="sm" align="flex-end">
        <FindSelect label="Endpoint" options={options} value={endpoint.slug} onChange={onChoose} />
        {targets.length > 1 || target !== undefined ? (
          <NativeSelect
            label="Target"
            title="Only a test token may ask a single target; there is no failover then."
            data={[
              { value: "", label: "in order, with failover" },
              ...targets.map((name, index) => ({ value: String(index + 1), label: `${index + 1}: ${name}` })),
            ]}
            value={target === undefined ? "" : String(target)}
            onChange={({ currentTarget: { value } }) => onTarget(value === "" ? undefined : Number(value))}
          />
        ) : (
          <Text size="xs" c="dimmed" mb={6}>
            {targets}
          </Text>
        )}
      </Group>
      <Group gap="xs">
        <Button variant="default" onClick={talk.reset}>
          New conversation
        </Button>
        {onBeside !== undefined && (
          <Button variant="default" onClick={onBeside}>
            Compare
          </Button>
        )}
        {onClose !== undefined && (
          <ActionIcon aria-label="Close this panel" onClick={onClose}>
            <Icon name="cross" />
          </ActionIcon>
        )}
      </Group>
    </Group>
  );
}

function Turns({ turns, reply }: { readonly turns: readonly Turn[]; readonly reply: ChatReply | undefined }) {
  const isOpen = reply !== undefined && reply.state !== "done";
  const error = reply?.error === undefined ? null : new CallError(reply.error, { status: reply.status ?? 0 });
  return (
    <Stack gap="xs" aria-live="polite">
      {turns.map(({ role, content }, index) => (
        // Turns have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="console-turn" data-role={role}>
          <Text size="xs" c="dimmed">
            {role === "user" ? "You" : "Model"}
          </Text>
          <Text size="sm" className="console-said">
            {content}
          </Text>
        </div>
      ))}
      {isOpen && reply.text !== "" && (
        <div className="console-turn" data-role="assistant">
          <Text size="xs" c="dimmed">
            Model
          </Text>
          <Text size="sm" className="console-said">
            {reply.text}
          </Text>
        </div>
      )}
      {reply?.toolCalls !== undefined && <CodeBlock text={reply.toolCalls} label="Tool calls" />}
      <ErrorAlert error={error} />
    </Stack>
  );
}
