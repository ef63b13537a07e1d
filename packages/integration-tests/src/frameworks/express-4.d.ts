/** What is used here of Express 4 has the types of Express 5. */
declare module 'express-4' {
  export { default } from 'express'
}
