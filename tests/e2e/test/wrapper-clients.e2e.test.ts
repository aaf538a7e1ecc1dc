import { afterAll, beforeAll, describe } from "vitest";
import { startServices, startStandalone } from "../src/product.ts";
import { describeAiSdkClient } from "./suite/ai-sdk-client-suite.ts";
import { describeLangChainClient } from "./suite/langchain-client-suite.ts";
import { describeOpenAiClient } from "./suite/openai-client-suite.ts";
import { describeOpenAiCompletions } from "./suite/openai-completions-suite.ts";
import { createWrapperWorld, type WrapperWorld } from "./suite/wrapper-world.ts";

describe.each([
  ["one process", startStandalone],
  ["router, control plane and chat as three processes", startServices],
])("the Wrapper as %s", (_name, start) => {
  let world: WrapperWorld;
  beforeAll(async () => {
    world = await createWrapperWorld(async () => await start());
  });
  afterAll(async () => await world.stop());

  describeOpenAiClient(() => world);
  describeOpenAiCompletions(() => world);
  describeAiSdkClient(() => world);
  describeLangChainClient(() => world);
});
