"""The interactive window with mouse control and a text overlay."""
