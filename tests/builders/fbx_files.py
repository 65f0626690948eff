"""FBX files as text (version 7.4) for tests: nodes, a mesh with a skin, and one animation."""

from itertools import count

import numpy as np

TICKS = 46_186_158_000  # of FBX, in a second


class FbxBuilder:
    """Collects objects and their connections. `unit` is the length of the unit in centimetres."""

    def __init__(self, up="y", unit=1.0):
        self.objects, self.links, self._ids = [], [], count(1000)
        axes, front_sign = {"y": ((1, 2, 0), 1), "z": ((2, 1, 0), -1), "z, left-handed": ((2, 1, 0), 1)}[up]
        self.settings = [
            ("UpAxis", axes[0]), ("UpAxisSign", 1), ("FrontAxis", axes[1]), ("FrontAxisSign", front_sign),
            ("CoordAxis", axes[2]), ("CoordAxisSign", 1),
        ]  # fmt: skip
        self.unit = unit

    def object(self, kind, name, subclass, body="", to=0, prop=None):
        """Add an object, and connect it to the object `to`, or to its property `prop`. Return its id."""
        number = next(self._ids)
        self.objects.append(f'{kind}: {number}, "{name}", "{subclass}" {{\n{body}\n}}')
        self.links.append(f'C: "OP",{number},{to}, "{prop}"' if prop else f'C: "OO",{number},{to}')
        return number

    def link(self, child, to):
        self.links.append(f'C: "OO",{child},{to}')

    def node(self, name, translation=(0, 0, 0), rotation=(0, 0, 0), to=0, kind="LimbNode", **others):
        """Add a node. `others` are further properties with three numbers, such as PreRotation."""
        lines = [_vector("Lcl Translation", translation), _vector("Lcl Rotation", rotation)]
        lines += [_vector(key, value) for key, value in others.items()]
        if "PreRotation" in others:
            lines.append('P: "RotationActive", "bool", "", "",1')
        return self.object("Model", f"Model::{name}", kind, "Version: 232\n" + _properties(lines), to)

    def mesh(self, node, vertices, faces, uvs=None):
        ends = [index if k < len(face) - 1 else -index - 1 for face in faces for k, index in enumerate(face)]
        body = "GeometryVersion: 124\n" + _array("Vertices", [own for row in vertices for own in row])
        body += _array("PolygonVertexIndex", ends)
        if uvs is not None:
            body += 'LayerElementUV: 0 {\nVersion: 101\nName: "map"\nMappingInformationType: "ByPolygonVertex"\n'
            body += 'ReferenceInformationType: "Direct"\n' + _array("UV", [own for row in uvs for own in row]) + "}\n"
            body += 'Layer: 0 {\nVersion: 100\nLayerElement:  {\nType: "LayerElementUV"\nTypedIndex: 0\n}\n}\n'
        return self.object("Geometry", "Geometry::", "Mesh", body, node)

    def skin(self, mesh, clusters):
        """Add a skin. `clusters` maps a node to vertices, weights, and the node's matrix for row vectors at binding."""
        skin = self.object("Deformer", "Deformer::", "Skin", "Version: 101\nLink_DeformAcuracy: 50", mesh)
        for node, (vertices, weights, matrix) in clusters.items():
            body = "Version: 100\n" + _array("Indexes", vertices) + _array("Weights", weights)
            inverse = np.linalg.inv(np.reshape(matrix, (4, 4)))  # the mesh is at the origin
            body += _array("Transform", inverse.ravel().tolist()) + _array("TransformLink", np.ravel(matrix).tolist())
            cluster = self.object("Deformer", "SubDeformer::", "Cluster", body, skin)
            self.link(node, cluster)

    def shape(self, mesh, name, vertices, offsets):
        blend = self.object("Deformer", "Deformer::", "BlendShape", "Version: 100", mesh)
        body = "Version: 100\nDeformPercent: 0\n" + _array("FullWeights", [100.0])
        channel = self.object("Deformer", f"SubDeformer::{name}", "BlendShapeChannel", body, blend)
        body = "Version: 100\n" + _array("Indexes", vertices) + _array("Vertices", [x for row in offsets for x in row])
        self.object("Geometry", f"Geometry::{name}", "Shape", body, channel)

    def material(self, node, color, picture=None):
        lines = [f'P: "DiffuseColor", "Color", "", "A",{",".join(map(str, color))}']
        body = 'Version: 102\nShadingModel: "lambert"\n' + _properties(lines)
        material = self.object("Material", "Material::paint", "", body, node)
        if picture:
            body = f'Type: "TextureVideoClip"\nVersion: 202\nFileName: "C:\\\\art\\\\{picture}"\n'
            body += f'RelativeFilename: "..\\\\art\\\\{picture}"'
            self.object("Texture", "Texture::skin", "", body, material, "DiffuseColor")

    def clip(self, name, curves, seconds=1.0):
        """Add an animation. `curves` maps a node and a property to the keys of each axis: times and values."""
        ticks = int(seconds * TICKS)
        lines = [
            f'P: "{key}", "KTime", "Time", "",{value}'
            for key, value in (("LocalStop", ticks), ("ReferenceStop", ticks))
        ]
        stack = self.object("AnimationStack", f"AnimStack::{name}", "", _properties(lines))
        layer = self.object("AnimationLayer", "AnimLayer::Base", "", "", stack)
        for (node, prop), axes in curves.items():
            own = self.object("AnimationCurveNode", f"AnimCurveNode::{prop[4]}", "", "", layer)
            self.links.append(f'C: "OP",{own},{node}, "{prop}"')
            for axis, (times, values) in axes.items():
                body = "Default: 0\nKeyVer: 4009\n" + _array("KeyTime", [int(t * TICKS) for t in times])
                body += _array("KeyValueFloat", values) + _array("KeyAttrFlags", [4])
                body += _array("KeyAttrDataFloat", [0, 0, 0, 0]) + _array("KeyAttrRefCount", [len(times)])
                self.object("AnimationCurve", "AnimCurve::", "", body, own, f"d|{axis}")

    def text(self):
        lines = [f'P: "{key}", "int", "Integer", "",{value}' for key, value in self.settings]
        lines.append(f'P: "UnitScaleFactor", "double", "Number", "",{self.unit}')
        head = "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n"
        head += "GlobalSettings:  {\nVersion: 1000\n" + _properties(lines) + "\n}\n"
        return (
            head
            + "Objects:  {\n"
            + "\n".join(self.objects)
            + "\n}\nConnections:  {\n"
            + "\n".join(self.links)
            + "\n}\n"
        )


def _properties(lines):
    return "Properties70:  {\n" + "\n".join(lines) + "\n}"


def _vector(key, value):
    kind = ("Vector3D", "Vector") if "Pre" in key or "Pivot" in key or "Geometric" in key else (key, "")
    return f'P: "{key}", "{kind[0]}", "{kind[1]}", "A",{",".join(map(str, value))}'


def _array(key, values):
    return f"{key}: *{len(values)} {{\na: {','.join(map(str, values))}\n}}\n"
