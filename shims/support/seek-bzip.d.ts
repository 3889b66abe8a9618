declare module 'seek-bzip' {
  /** Unpacks bzip2. Fails with a `TypeError`. `multistream` reads all members. */
  const Bunzip: {
    decode(input: Uint8Array, output?: null, multistream?: boolean): Uint8Array;
  };
  export default Bunzip;
}
