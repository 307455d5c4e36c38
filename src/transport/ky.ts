// A default import of ky becomes the whole module in the CommonJS form of the build.
export { default as ky } from 'ky';
