export { createDemo, createFirstDemo, type Demo, type FirstDemo, type ProviderKeys } from "./demo.ts";
export { displayHost, formatGreeting, type Greeting } from "./greeting.ts";
export { hasCode, type Home, markOnce, openHome } from "./home.ts";
export { Opened } from "./opened.ts";
export { progress } from "./progress.ts";
export { StartError } from "./start-error.ts";
export { openUnshownAdminKey, type UnshownAdminKey } from "./unshown-admin-key.ts";
