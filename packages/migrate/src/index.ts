export { migratedServices, migrateService, type ServiceMigration } from "./migrate-service.ts";
