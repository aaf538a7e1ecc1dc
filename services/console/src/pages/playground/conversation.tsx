import { ActionIcon, Button, Group, NativeSelect, Paper, Stack, Text } from "@mantine/core";
import { type Dispatch, type KeyboardEvent, type SetStateAction, useMemo, useState } from "react";
import { CallError } from "../../api/call-error.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FindSelect } from "../../parts/find-select.tsx";
import { FreeText } from "../../parts/free-text.tsx";
import { Icon } from "../../parts/icon.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { areSendable, CallSettings, randomUuid, type Settings, settingsOf, toolsOf } from "./call-settings.tsx";
import { CallSnippets } from "./call-snippets.tsx";
import { CallTrail } from "./call-trail.tsx";
import { toChatCall, type Turn } from "./chat-body.ts";
import type { ChatReply } from "./chat-reply.ts";
import { useChatCall } from "./use-chat-call.ts";

interface ConversationProps {
  readonly project: Project;
  readonly endpoints: readonly Endpoint[];
  readonly endpoint: Endpoint;
  readonly token: string;
  /** Message to send; kept when another endpoint is chosen. */
  readonly text: string;
  readonly onText: Dispatch<SetStateAction<string>>;
  /** Position of the only target to call, from 1; undefined: the endpoint's order. */
  readonly target: number | undefined;
  readonly onChoose: (slug: string) => void;
  readonly onTarget: (place: number | undefined) => void;
  /** Opens a second conversation beside this one. */
  readonly onBeside?: () => void;
  readonly onClose?: () => void;
}

/** A conversation with one endpoint, and the timing of its latest call. */
export function Conversation(props: ConversationProps) {
  const { project, endpoint, target, token, text, onText } = props;
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [settings, setSettings] = useState<Settings>(() => settingsOf(endpoint));
  const { reply, isRunning, send, stop, clear } = useChatCall();
  const next: readonly Turn[] = [...turns, { role: "user", content: text }];
  const { sessionId, variables } = settings;
  const tools = toolsOf(settings);
  const canSend = token !== "" && text !== "" && areSendable(settings);
  const call = toChatCall(project, endpoint, { turns: next, variables, sessionId, tools, target });
  const submit = async () => {
    const { state, text: answer } = await send(call, token);
    if (state !== "done") return;
    setTurns([...next, { role: "assistant", content: answer }]);
    // Keeps a next message that was typed meanwhile.
    onText((now) => (now === text ? "" : now));
  };
  const reset = () => {
    setTurns([]);
    clear();
    setSettings(({ sessionId: before, ...others }) => ({ ...others, sessionId: before && randomUuid() }));
  };
  // Escape stops the call from anywhere in the conversation, since a click on Send leaves the focus on that button.
  return (
    <Paper
      className="console-panel"
      p="md"
      component="section"
      aria-label={nameOf(props)}
      onKeyDown={(event) => isRunning && event.key === "Escape" && stop()}
    >
      <Stack gap="sm">
        <Head {...props} onReset={reset} />
        <CallSettings endpoint={endpoint} project={project} settings={settings} onChange={setSettings} />
        <Turns turns={turns} reply={reply} />
        <FreeText
          label="Message"
          description="Ctrl-Enter sends, Escape stops."
          value={text}
          onText={onText}
          onKeyDown={(event) => canSend && !isRunning && isSending(event) && void submit()}
          minRows={2}
          maxRows={12}
        />
        <Group justify="flex-end">
          <SendOrStop {...{ isRunning, canSend, stop }} send={() => void submit()} />
        </Group>
        <LiveResult>{reply !== undefined && <CallTrail reply={reply} />}</LiveResult>
        <CallSnippets call={call} />
      </Stack>
    </Paper>
  );
}

interface SendOrStopProps {
  readonly isRunning: boolean;
  readonly canSend: boolean;
  readonly send: () => void;
  readonly stop: () => void;
}

/** One button, so that the focus stays on it when the call begins. */
function SendOrStop({ isRunning, canSend, send, stop }: SendOrStopProps) {
  return isRunning ? (
    <Button variant="default" onClick={stop}>
      Stop
    </Button>
  ) : (
    <Button disabled={!canSend} onClick={send}>
      Send
    </Button>
  );
}

function isSending({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey);
}

function nameOf({ endpoint: { slug }, target }: ConversationProps): string {
  return `Conversation with ${slug}${target === undefined ? "" : `, target ${target}`}`;
}

interface HeadProps extends ConversationProps {
  readonly onReset: () => void;
}

function Head({ endpoints, endpoint, target, onChoose, onTarget, onBeside, onClose, onReset }: HeadProps) {
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
        <Button variant="default" onClick={onReset}>
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
