// Vite takes style sheets in; to the compiler they are nothing.
declare module "*.css";
