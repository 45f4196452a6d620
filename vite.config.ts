import { defineConfig } from "vite";

// The page: one script and one style sheet, named after their content, that the sidecar serves from memory. Nothing inline, since its policy allows none.
export default defineConfig({
  root: "src/clients/web",
  publicDir: "public",
  logLevel: "warn",
  build: {
    outDir: "built",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
  },
});
