"""Buildings in IFC, made with ifcopenshell: extruded outlines in millimetres, in storeys."""

import ifcopenshell
import ifcopenshell.guid


class IfcHouse:
    """A writer of a small building. Lengths are in metres, and the file is in millimetres."""

    def __init__(self, storeys):
        self.file = ifcopenshell.file(schema="IFC4")
        make = self.file.create_entity
        unit = make("IfcSIUnit", None, "LENGTHUNIT", "MILLI", "METRE")
        self.context = make("IfcGeometricRepresentationContext", None, "Model", 3, 1e-5, self.axes(0.0))
        project = make("IfcProject", self.id(), RepresentationContexts=[self.context])
        project.UnitsInContext = make("IfcUnitAssignment", [unit])
        building = make("IfcBuilding", self.id(), Name="House")
        make("IfcRelAggregates", self.id(), RelatingObject=project, RelatedObjects=[building])
        self.storeys = [
            make("IfcBuildingStorey", self.id(), Name=name, ObjectPlacement=self.placed(height))
            for name, height in storeys
        ]
        make("IfcRelAggregates", self.id(), RelatingObject=building, RelatedObjects=self.storeys)

    def id(self):
        return ifcopenshell.guid.new()

    def axes(self, height):
        point = self.file.create_entity("IfcCartesianPoint", (0.0, 0.0, 1000.0 * height))
        return self.file.create_entity("IfcAxis2Placement3D", point)

    def placed(self, height):
        return self.file.create_entity("IfcLocalPlacement", None, self.axes(height))

    def add(self, kind, storey, solid, **said):
        """Add an element with a solid to a storey."""
        make = self.file.create_entity
        body = make("IfcShapeRepresentation", self.context, "Body", solid.is_a(), [solid])
        shape = make("IfcProductDefinitionShape", None, None, [body])
        element = make(kind, self.id(), ObjectPlacement=self.placed(0.0), Representation=shape, **said)
        owner = self.storeys[storey]
        if kind == "IfcSpace":
            make("IfcRelAggregates", self.id(), RelatingObject=owner, RelatedObjects=[element])
        else:
            make("IfcRelContainedInSpatialStructure", self.id(), None, None, None, [element], owner)

    def prism(self, rectangle, low, high):
        """Return an extruded rectangle (x, y, width, depth) between two heights."""
        x, y, width, depth = rectangle
        return self.faceted([(x, y), (x + width, y), (x + width, y + depth), (x, y + depth)], [low] * 4, [high] * 4)

    def faceted(self, corners, lows, highs):
        """Return a solid with four corners on the plan, and the heights of its lower and its upper face."""
        make = self.file.create_entity
        at = [
            [
                make("IfcCartesianPoint", [1000.0 * value for value in (*xy, z)])
                for xy, z in zip(corners, zs, strict=True)
            ]
            for zs in (lows, highs)
        ]
        sides = [[at[0][k], at[0][(k + 1) % 4], at[1][(k + 1) % 4], at[1][k]] for k in range(4)]
        faces = [
            make("IfcFace", [make("IfcFaceOuterBound", make("IfcPolyLoop", loop), True)])
            for loop in (at[0][::-1], at[1], *sides)
        ]
        return make("IfcFacetedBrep", make("IfcClosedShell", faces))


def ifc_house():
    """Return two storeys of 20 m by 10 m with a wall, a door, a space, a lift and stairs to the north, as text."""
    house = IfcHouse([("Ground", 0.0), ("First", 3.4)])
    for storey, z in ((0, 0.0), (1, 3.4)):
        house.add("IfcSlab", storey, house.prism((0, 0, 20, 10), z - 0.2, z))
        house.add("IfcWall", storey, house.prism((8, 4, 0.2, 6), z, z + 3))
        house.add("IfcDoor", storey, house.prism((8, 6, 0.2, 1.2), z, z + 2), Name=f"Door {storey}")
    house.add("IfcSpace", 0, house.prism((0, 4, 8, 6), 0, 3), Name="101", LongName="Shop")
    house.add("IfcDoor", 0, house.prism((9, -0.1, 2, 0.2), 0, 2), Name="Main entrance")
    slope = house.faceted([(11, 3), (12.6, 3), (12.6, 7), (11, 7)], [0, 0, 3.2, 3.2], [0.17, 0.17, 3.4, 3.4])
    house.add("IfcStair", 0, slope, Name="East stairs")
    lift = house.prism((17, 6, 2, 2.2), 0, 6.4)
    house.add("IfcTransportElement", 0, lift, Name="Lift A", PredefinedType="ELEVATOR")
    return house.file.to_string()
