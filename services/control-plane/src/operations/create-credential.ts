import { encodeCredential } from "../clients/chat-encoding.ts";
import { text } from "../domain/arguments.ts";
import { defineOperation } from "./operation.ts";
import { name, provider } from "./shared-arguments.ts";

const apiKeyLengthMax = 8_192;

export const createCredential = defineOperation({
  name: "svc_create_credential",
  description: "Stores a provider's key, sealed. It is never shown again but for its last four characters.",
  arguments: { provider, name, api_key: text({ description: "The provider's key.", lengthMax: apiKeyLengthMax }) },
  async run({ provider, name, api_key: apiKey }, { chat, caller }) {
    return encodeCredential(
      (await chat.createCredential({ provider, name, apiKey }, caller.optionsFor(null))).credential,
    );
  },
});
