throw new Error("no such vocabulary");
export function run(): void {}
