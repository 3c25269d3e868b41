"""The data of the papers: public sets and simulators."""
