import { Group, Switch, TextInput } from "@mantine/core";
import type { Endpoint, Project } from "../../api/types.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { shorten } from "../../parts/format.ts";
import { variablesOf } from "../../parts/prompt-variables.ts";
import { randomUuid } from "../../parts/random-uuid.ts";
import { JsonField } from "../../parts/schema-form/json-field.tsx";

export interface Settings {
  readonly sessionId: string | undefined;
  /** Value of the field; sent only if it is a list. */
  readonly tools: unknown;
  readonly hasTools: boolean;
}

/** Tools to send; undefined: none. */
export function toolsOf({ tools }: Settings): readonly unknown[] | undefined {
  return Array.isArray(tools) ? tools : undefined;
}

/** Whether all settings are valid. */
export function areSendable({ tools }: Settings): boolean {
  return tools === undefined || Array.isArray(tools);
}

/** Neither a session nor tools. */
export const initialSettings: Settings = { sessionId: undefined, tools: undefined, hasTools: false };

interface CallSettingsProps {
  readonly project: Project;
  readonly endpoint: Endpoint;
  /** Values of the prompt's variables, by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly onVariables: (variables: Readonly<Record<string, string>>) => void;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

/** Settings of a call besides its messages: the prompt's variables, a session, tools. */
export function CallSettings({ project, endpoint, variables, onVariables, settings, onChange }: CallSettingsProps) {
  const { sessionId, hasTools } = settings;
  const isWrapper = project.project_type === "ai_wrapper";
  return (
    <>
      <Group gap="sm" align="flex-end">
        {variablesOf(endpoint).map((name) => (
          <TextInput
            key={name}
            label={name}
            value={variables[name] ?? ""}
            onChange={(event) => onVariables({ ...variables, [name]: event.currentTarget.value })}
          />
        ))}
        {isWrapper ? (
          <Switch
            label="Tools"
            checked={hasTools}
            onChange={(event) => onChange({ ...settings, hasTools: event.currentTarget.checked, tools: undefined })}
            mb={6}
          />
        ) : (
          <Switch
            label="Session: the gateway keeps the history"
            checked={sessionId !== undefined}
            onChange={(event) =>
              onChange({ ...settings, sessionId: event.currentTarget.checked ? randomUuid() : undefined })
            }
            mb={6}
          />
        )}
        {sessionId !== undefined && (
          <CopyText text={sessionId} shown={shorten(sessionId)} label="Copy the session's uuid" />
        )}
      </Group>
      {hasTools && (
        <JsonField
          label="Tools"
          name="tools"
          schema={{ description: 'A list in OpenAI\'s form: [{ type: "function", function: { name, parameters } }]' }}
          isRequired={false}
          value={settings.tools}
          onChange={(tools) => onChange({ ...settings, tools })}
          error={areSendable(settings) ? undefined : "This must be a list."}
        />
      )}
    </>
  );
}
