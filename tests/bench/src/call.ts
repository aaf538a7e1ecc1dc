/** One kind of chat call, with checks of its reply. */
export interface Call {
  readonly name: string;
  /** Model name, which controls the mock provider's answer. */
  readonly model: string;
  readonly stream: boolean;
  /** Text that the reply must contain exactly `markers` times. */
  readonly marker: string;
  readonly markers: number;
  /** Text in a complete reply; empty where the marker suffices. */
  readonly end: string;
}

/** One JSON reply of about 600 bytes. */
export const chatCall: Call = {
  name: "chat-json",
  model: "bench",
  stream: false,
  marker: "gate-ok",
  markers: 1,
  end: "",
};

/** A streamed reply of `chunks` chunks, `paceMs` apart; 0 sends all in one write. */
export function streamCall(chunks: number, paceMs: number): Call {
  const model = `stream-${chunks}-${paceMs}`;
  return { name: model, model, stream: true, marker: '"content":"gate', markers: chunks, end: "data: [DONE]" };
}

/** Prompt of every call; the same for every system. */
export const prompt = "When does the gate open, and who keeps it? Answer in one sentence.";

/** The body of an OpenAI chat completion. */
export function openAiBody(call: Call): object {
  return {
    model: call.model,
    messages: [{ role: "user", content: prompt }],
    ...(call.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** A POST request as bytes, to be repeated on a keep-alive connection. */
export function postRequest(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    `content-length: ${bytes.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes]);
}
