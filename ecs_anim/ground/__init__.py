"""What actors stand on: a plane, a height field or triangles; rays straight down find it."""
