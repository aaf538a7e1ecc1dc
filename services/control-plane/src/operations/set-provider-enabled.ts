import { encodeProvider } from "../clients/chat-encoding.ts";
import { flag } from "../domain/arguments.ts";
import { defineOperation } from "./operation.ts";
import { provider } from "./shared-arguments.ts";

export const setProviderEnabled = defineOperation({
  name: "svc_set_provider_enabled",
  description: "Switches a provider on or off for the whole gateway. Targets of a disabled provider are skipped.",
  arguments: { provider, enabled: flag("Whether calls may go to it.") },
  async run({ provider, enabled }, { chat, caller }) {
    return encodeProvider((await chat.setProviderEnabled({ provider, enabled }, caller.optionsFor(null))).provider);
  },
});
