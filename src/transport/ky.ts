// A default import of ky is an object with a member `default` where CommonJS is made of this package. A named one is the function.
export { default as ky } from 'ky';
